{#- Which it is: one that left, one that arrived, or the change's own effect. -#}
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
            END
