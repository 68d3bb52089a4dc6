-- Generated from python_hooks/codelake/semantic/catalog/syntax.py, digest 5eecdf0e.
-- Do not edit: run `codelake compile`.
with

ast_nodes as (

    select * from {{ ref('ast_nodes') }}

),

yields as (

    select
        'YIELDS' as edge_kind,
        node_id as src_node_id,
        definition_id as dst_node_id,
        if(parent_syntax = 'YieldFrom', 'from', '') as label,
        cast(null as int) as ordinal,
        repo,
        path,
        file_id,
        bstart,
        bend,
        'ast' as origin,
        'syntax' as method,
        1 as rank,
        cast(null as bigint) as ambiguity_group_id
    from ast_nodes
    where parent_syntax in ('Yield', 'YieldFrom')

)

select * from yields
