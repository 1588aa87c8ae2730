{#- What a change met, by whether it found a row under its key. -#}
met AS (
        SELECT
{%- for column in plan.key_columns %}
            {{ column.name }},
{%- endfor %}
            {{ plan.change_seq }},
            CASE
                WHEN
                    {{ plan.effect }} = 'insert'
                    AND {{ plan.row_found }}
                    THEN 'insert_exists'
                WHEN
                    {{ plan.effect }} = 'arrived'
                    AND {{ plan.row_found }}
                    THEN 'update_exists'
                WHEN
                    {{ plan.effect }} IN ('update', 'left')
                    AND NOT {{ plan.row_found }}
                    THEN 'update_missing'
                WHEN
                    {{ plan.effect }} = 'delete'
                    AND NOT {{ plan.row_found }}
                    THEN 'delete_missing'
            END AS {{ plan.finding }}
        FROM looked_up
    )
