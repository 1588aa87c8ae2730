{#- The effect; a change of the key is one that left and one that arrived. #}
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
            END AS {{ plan.effect }}
