{#- Only a key's last change is staged without what is counted; no other may stop the query. -#}
{%- for counting in plan.counting %} /*<counting*/AND LEAD({{ plan.change_seq }}) OVER (
                        {{ plan.key_partition | join("\n                        ") }}
                        ORDER BY {{ plan.change_seq }}
                    ) IS NULL/*counting>*/{% endfor %}
