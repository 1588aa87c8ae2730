{#- Around all that happens to the rows of a key: what each change of it met in the batch itself, and the
    first one, for which the target has to be asked. After a TRUNCATE it is empty. -#}
{%- for counting in plan.counting %}
        /*<counting*/
        SELECT
            *,
            SUM(
                CASE
                    WHEN {{ counting.met_effect }} = 'insert' AND {{ counting.met_found }}
                        THEN 1
                    ELSE 0
                END
            ) OVER (
                {% include "counting_frame.sql" %}
            ) AS {{ counting.met_insert_exists }},
            SUM(
                CASE
                    WHEN {{ counting.met_effect }} = 'arrived' AND {{ counting.met_found }}
                        THEN 1
                    ELSE 0
                END
            ) OVER (
                {% include "counting_frame.sql" %}
            ) AS {{ counting.met_update_exists }},
            SUM(
                CASE
                    WHEN
                        {{ counting.met_effect }} IN ('update', 'left')
                        AND NOT {{ counting.met_found }}
                        THEN 1
                    ELSE 0
                END
            ) OVER (
                {% include "counting_frame.sql" %}
            ) AS {{ counting.met_update_missing }},
            SUM(
                CASE
                    WHEN {{ counting.met_effect }} = 'delete' AND NOT {{ counting.met_found }}
                        THEN 1
                    ELSE 0
                END
            ) OVER (
                {% include "counting_frame.sql" %}
            ) AS {{ counting.met_delete_missing }},
            MIN(
                CASE
                    WHEN
                        {{ counting.met_effect }} IN ('insert', 'arrived')
                        AND {{ counting.met_found }}
                        THEN {{ plan.change_seq }}
                END
            ) OVER (
                {% include "counting_frame.sql" %}
            ) AS {{ counting.met_stop }},
            MIN(
                CASE
                    WHEN {{ counting.met_found }} IS NULL THEN {{ counting.met_effect }}
                END
            ) OVER (
                {% include "counting_frame.sql" %}
            ) AS {{ counting.met_first }},
            MIN({{ plan.change_seq }}) OVER (
                {% include "counting_frame.sql" %}
            ) AS {{ counting.met_first_seq }}
        FROM (
            SELECT
                *,
                CASE
                    WHEN {{ counting.met_before }} IS NOT NULL
                        THEN {{ counting.met_before }} IN ('insert', 'update', 'arrived')
                    WHEN (SELECT truncated.seq FROM truncated) IS NOT NULL THEN FALSE
                END AS {{ counting.met_found }}
            FROM (
                SELECT
                    *,
                    {{ counting.neighbour }}({{ counting.met_effect }}) OVER (
                        {{ plan.key_partition | join("\n                        ") }}
                        ORDER BY {{ plan.change_seq }}{{ counting.order }}
                    ) AS {{ counting.met_before }}
                FROM (
        /*counting>*/
{%- endfor %}
