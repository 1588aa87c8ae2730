{#- What happened to the key before a change, in the batch itself, and the key's first change. A
    TRUNCATE left no row; where nothing is known, the target has to be asked. -#}
{%- for counting in plan.counting %}
            /*<counting*/
            COALESCE(
                {{ counting.neighbour }}({{ counting.met_effect }}) OVER (
                    {{ plan.key_partition | join("\n                    ") }}
                    ORDER BY {{ plan.change_seq }}{{ counting.order }}
                ),
                CASE
                    WHEN (SELECT truncated.seq FROM truncated) IS NOT NULL THEN 'delete'
                END
            ) AS {{ counting.met_before }},
            {{ counting.earliest }}({{ counting.met_effect }}) OVER (
                {% include "counting_frame.sql" %}
            ) AS {{ counting.met_first }},
            {{ counting.earliest }}({{ plan.change_seq }}) OVER (
                {% include "counting_frame.sql" %}
            ) AS {{ counting.met_first_seq }},
            /*counting>*/
{%- endfor %}
