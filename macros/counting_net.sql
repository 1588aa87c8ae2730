{#- The changes, one by one, each with what it met where the batch itself tells. -#}
{%- for counting in plan.counting %} /*<counting*/(
        SELECT
            *,
            CASE
                WHEN {{ counting.met_before }} IN ('insert', 'update', 'arrived')
                    THEN CASE {{ counting.met_effect }}
                        WHEN 'insert' THEN 'insert_exists'
                        WHEN 'arrived' THEN 'update_exists'
                    END
                WHEN {{ counting.met_before }} IN ('delete', 'left')
                    THEN CASE {{ counting.met_effect }}
                        WHEN 'update' THEN 'update_missing'
                        WHEN 'left' THEN 'update_missing'
                        WHEN 'delete' THEN 'delete_missing'
                    END
            END AS {{ counting.met_kind }}
        FROM/*counting>*/{% endfor %} net
{%- for counting in plan.counting %} /*<counting*/
    ) AS net/*counting>*/{% endfor %}
