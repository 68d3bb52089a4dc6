{#- A check holds when its model has no rows; the rows are the broken promises. -#}
{% test is_empty(model) %}
{%- if adapter.promise_holds(model.identifier) %}
select 1 as broken_promise where false
{%- else %}
select * from {{ model }} limit 100
{%- endif %}
{% endtest %}
