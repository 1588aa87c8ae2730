{#- What a side of a change is to what the changes meet: one that left, arrived, or its effect. -#}
{%- for counting in plan.counting %}
            /*<counting*/
            {% include "moved_case.sql" %} AS {{ counting.met_effect }},
            /*counting>*/
{%- endfor %}
