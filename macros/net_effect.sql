{#- Whether there is a row after the last change of a key. #}
        CASE
            WHEN
                net.{{ plan.effect }} IN ('insert', 'update', 'arrived')
                AND net.{{ plan.change_seq }}
                > COALESCE((SELECT truncated.seq FROM truncated), -1)
                THEN 'insert'
            ELSE 'delete'
        END AS {{ plan.effect }}
