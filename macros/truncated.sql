{#- The last TRUNCATE. -#}
truncated AS (
        -- What came before the last TRUNCATE of a batch cannot matter.
        -- No row filter judges it.
        SELECT MAX(seq) AS seq
        FROM {{ plan.changes }}
        WHERE op IN ({{ plan.truncate_ops | join(", ") }})
        HAVING MAX(seq) IS NOT NULL
    )
