{#- The row filters of a table, joined by OR: what stands in parentheses behind COALESCE. A Jinja macro that other
    files import; each filter begins with a new line, which is what `line_break` holds, behind its labels.

    Override: keep the macro's name and all filters. -#}

{%- macro filter_lines(criteria, line_break) %}
{%- for criterion in criteria %}
{%- for line in criterion.label_lines %}{{ line_break }}-- {{ line }}{% endfor %}
{{- line_break }}{{ criterion.connective }}{{ criterion.lines | join(line_break) }}
{%- endfor %}
{%- endmacro %}
