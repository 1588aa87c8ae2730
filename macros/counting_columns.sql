{#- What is counted for a key. -#}
{%- for counting in plan.counting %}
        /*<counting*/
        {{ counting.met_insert_exists }},
        {{ counting.met_update_exists }},
        {{ counting.met_update_missing }},
        {{ counting.met_delete_missing }},
        {{ counting.met_stop }},
        {{ counting.met_first }},
        {{ counting.met_first_seq }},
        /*counting>*/
{%- endfor %}
