-- Generated from python_hooks/codelake/semantic/catalog/names.py, digest 611fbefe.
-- Do not edit: run `codelake compile`.
with

symtable_scopes as (

    select * from {{ ref('symtable_scopes') }}

),

scope_nesting as (

    select
        'SCOPE_PARENT' as edge_kind,
        scope_id as src_node_id,
        parent_scope_id as dst_node_id,
        '' as label,
        cast(null as int) as ordinal,
        repo,
        path,
        file_id,
        cast(null as int) as bstart,
        cast(null as int) as bend,
        'symtable' as origin,
        'symbol_table' as method,
        1 as rank,
        cast(null as bigint) as ambiguity_group_id
    from symtable_scopes
    where parent_scope_id is not null and parent_scope_id is not null

)

select * from scope_nesting
