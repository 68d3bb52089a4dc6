-- Generated from python_hooks/codelake/semantic/catalog/syntax.py, digest 6cb8c072.
-- Do not edit: run `codelake compile`.
with

evidence as (

    select * from {{ ref('evidence') }}

),

-- the arrays that are exploded or looked into, and nothing else
nodes_of_files as (

    select
        repo,
        path,
        file_id,
        ast_defs.def_id as def_ids,
        ast_defs.qualified_name as def_names,
        ast_nodes,
        parser
    from evidence

),

nodes as (

    select
        repo,
        path,
        file_id,
        if(
            node.ordinal = 0,
            def_ids[node.def_no],
            xxhash64(def_ids[node.def_no], node.ordinal)
        ) as node_id,
        def_ids[node.owner_no] as owner_id,
        def_ids[node.def_no] as definition_id,
        case
            when node.parent_ordinal is not null
                then if(
                    node.parent_ordinal = 0,
                    def_ids[node.parent_def_no],
                    xxhash64(def_ids[node.parent_def_no], node.parent_ordinal)
                )
        end as parent_id,
        node.parent_syntax,
        case
            when node.call_ordinal is not null
                then if(
                    node.call_ordinal = 0,
                    def_ids[node.parent_def_no],
                    xxhash64(def_ids[node.parent_def_no], node.call_ordinal)
                )
        end as call_id,
        node.kind,
        node.syntax,
        node.name,
        case when node.ordinal = 0 then def_names[node.def_no] end as qualified_name,
        node.slot,
        node.idx,
        node.keyword,
        node.ordinal,
        node.bstart,
        node.bend,
        node.line,
        node.end_line,
        node.col,
        node.end_col,
        node.attrs,
        coalesce(parser, 'scan') as origin
    from nodes_of_files
        lateral view explode(ast_nodes) nodes_exploded as node

)

select * from nodes
