-- Generated from python_hooks/codelake/semantic/catalog/syntax.py, digest 1df714e6.
-- Do not edit: run `codelake compile`.
with

ast_nodes as (

    select * from {{ ref('ast_nodes') }}

),

raises as (

    select
        'RAISES' as edge_kind,
        node_id as src_node_id,
        if(kind = 'LAMBDA', owner_id, definition_id) as dst_node_id,
        '' as label,
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
    where parent_syntax = 'Raise' and slot = 'exc'

)

select * from raises
