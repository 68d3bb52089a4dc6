-- Generated from python_hooks/codelake/semantic/catalog/syntax.py, digest f7d23e1a.
-- Do not edit: run `codelake compile`.
with

ast_nodes as (

    select * from {{ ref('ast_nodes') }}

),

yields as (

    select
        'YIELDS' as edge_kind,
        node_id as src_node_id,
        if(kind = 'LAMBDA', owner_id, definition_id) as dst_node_id,
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
