{#- What a side of a change is to what the changes meet: one that left, arrived, or its effect. -#}
{%- for counting in plan.counting %}
            /*<counting*/
            CASE
                WHEN
                    {{ plan.side }} = 'old'
                    AND {{ plan.effect }} = 'update'
                    THEN 'left'
                WHEN
                    {{ plan.effect }} = 'update'
                    AND {{ plan.key_change | join("\n                    ") }}
                    THEN 'arrived'
                ELSE {{ plan.effect }}
            END AS {{ counting.met_effect }},
            /*counting>*/
{%- endfor %}
