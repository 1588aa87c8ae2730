{#- Beside a row: what its change met, whether it is the key's last one, and the key's first. -#}
{%- for counting in plan.counting %}
        /*<counting*/
        {{ counting.met_kind }},
        {{ plan.change_seq }} AS {{ counting.met_seq }},
        {{ plan.recency }} {{ counting.latest }} AS {{ counting.met_last }},
        CASE
            WHEN (SELECT truncated.seq FROM truncated) IS NULL THEN {{ counting.met_first }}
        END AS {{ counting.met_first }},
        {{ counting.met_first_seq }},
        /*counting>*/
{%- endfor %}
