{#- The rows that met something, too. -#}
{%- for counting in plan.counting %} /*<counting*/OR {{ counting.met_kind }} IS NOT NULL/*counting>*/{% endfor %}
