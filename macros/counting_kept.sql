{#- What a query that names its columns hands on to what is counted. -#}
{%- for counting in plan.counting %}
            /*<counting*/
            {{ counting.met_effect }},
            {{ plan.change_seq }},
            /*counting>*/
{%- endfor %}
