{#- The first change that is to be written and lacks an unchanged out-of-line value.

    Override: keep the columns: the key, and seq. -#}
WITH
    {% include "changes.sql" %}

    SELECT
{%- for column in plan.key_columns %}
        {{ column.new }},
{%- endfor %}
        seq
    FROM transformed
    WHERE
        {{ plan.effect }} IN ('insert', 'update')
        AND {{ plan.any_unchanged | join("\n        ") }}
    ORDER BY seq
    LIMIT 1
