{#- Ends what counting_begins begins. -#}
{%- for counting in plan.counting %}
        /*<counting*/
                ) AS happened
            ) AS followed
        ) AS looked_up
        /*counting>*/
{%- endfor %}
