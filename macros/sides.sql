{#- What the rows of `sides` say: their key, all their columns, and what became of them. Jinja macros
    that other files import; each begins with a new line.

    Branches on: key_changes (an UPDATE may change the key), expires (rows leave when their time is over).
    Override: keep the macros' names, the columns' names, and `left` and `arrived`. -#}

{#- The rows of the target, known as `present`, that are still there when the changes come. #}
{%- macro present_rows(plan) -%}
{% if plan.expires %}aged{% else %}{{ plan.target }}{% endif %} AS present
{%- endmacro %}

{%- macro still_there(plan) -%}
present.{{ plan.is_over }} IS NOT TRUE
{%- endmacro %}

{%- macro side_key(plan) %}
{%- for column in plan.key_columns %}
            CASE
                WHEN {{ plan.side }} = 'old' THEN {{ column.old }}
                ELSE {{ column.new }}
            END AS {{ column.name }},
{%- endfor %}
{%- endmacro %}

{%- macro side_columns(plan) %}
{%- for column in plan.columns %}
            CASE
                WHEN {{ plan.side }} = 'old' THEN {{ column.old }}
                ELSE {{ column.new }}
            END AS {{ column.name }},
{%- endfor %}
{%- endmacro %}

{#- A change of the key is one that left and one that arrived. #}
{%- macro moved_case(plan) -%}
{% if plan.key_changes %}CASE
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
{%- else %}{{ plan.effect }}{% endif %}
{%- endmacro %}

{%- macro moved_effect(plan) -%}
{{ moved_case(plan) }}{% if plan.key_changes %} AS {{ plan.effect }}{% endif %}
{%- endmacro %}

{#- What a change does to the number of copies of a row of a table without key. #}
{%- macro copy_steps(plan) -%}
SELECT
            {{ plan.effect }},
            seq AS {{ plan.change_seq }},
{{- side_columns(plan) }}
            CASE WHEN {{ plan.side }} = 'old' THEN -1 ELSE 1 END AS {{ plan.copy_step }}
        FROM sides
{%- endmacro %}
