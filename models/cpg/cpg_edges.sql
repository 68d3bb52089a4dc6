-- Generated from python_hooks/codelake/semantic/catalog/graph.py, digest 2cca9901.
-- Do not edit: run `codelake compile`.
with

ast_nodes as (

    select * from {{ ref('ast_nodes') }}

),

repo_files as (

    select * from {{ ref('repo_files') }}

),

relations_of_ast_nodes as (

    select
        found.edge_kind,
        found.src_node_id,
        found.dst_node_id,
        found.label,
        found.ordinal,
        repo,
        path,
        file_id,
        bstart,
        bend,
        'ast' as origin,
        'syntax' as method,
        cast(1.0 as double) as confidence
    from ast_nodes
        lateral view explode(array(
            -- syntax_tree
            case
                when parent_id is not null
                    then struct(
                        'AST' as edge_kind,
                        parent_id as src_node_id,
                        node_id as dst_node_id,
                        coalesce(slot, '') as label,
                        idx as ordinal
                    )
            end,
            -- modules_in_files
            case
                when kind = 'MODULE'
                    then struct(
                        'CONTAINS' as edge_kind,
                        file_id as src_node_id,
                        node_id as dst_node_id,
                        '' as label,
                        cast(null as int) as ordinal
                    )
            end,
            -- definitions_in_owners
            case
                when kind in ('CLASS', 'FUNCTION', 'LAMBDA', 'COMPREHENSION')
                    then struct(
                        'CONTAINS' as edge_kind,
                        owner_id as src_node_id,
                        node_id as dst_node_id,
                        '' as label,
                        cast(null as int) as ordinal
                    )
            end,
            -- arguments
            case
                when
                    parent_syntax = 'Call'
                    and slot in ('args', 'keywords')
                    and parent_id is not null
                    then struct(
                        'ARGUMENT' as edge_kind,
                        parent_id as src_node_id,
                        node_id as dst_node_id,
                        coalesce(keyword, '') as label,
                        idx as ordinal
                    )
            end,
            -- receivers
            case
                when call_id is not null
                    then struct(
                        'RECEIVER' as edge_kind,
                        call_id as src_node_id,
                        node_id as dst_node_id,
                        '' as label,
                        cast(null as int) as ordinal
                    )
            end,
            -- conditions
            case
                when
                    (
                        slot in ('ifs', 'guard')
                        or slot = 'test' and parent_syntax in ('If', 'While', 'IfExp', 'Assert')
                    )
                    and parent_id is not null
                    and slot is not null
                    then struct(
                        'CONDITION' as edge_kind,
                        parent_id as src_node_id,
                        node_id as dst_node_id,
                        slot as label,
                        cast(null as int) as ordinal
                    )
            end,
            -- decorations
            case
                when kind = 'DECORATOR' and parent_id is not null
                    then struct(
                        'DECORATES' as edge_kind,
                        node_id as src_node_id,
                        parent_id as dst_node_id,
                        '' as label,
                        idx as ordinal
                    )
            end,
            -- documentation
            case
                when kind = 'DOCSTRING'
                    then struct(
                        'DOCUMENTS' as edge_kind,
                        node_id as src_node_id,
                        definition_id as dst_node_id,
                        '' as label,
                        cast(null as int) as ordinal
                    )
            end
        )) branches as found
    where found is not null

),

files_in_repositories as (

    select
        'CONTAINS' as edge_kind,
        repository_id as src_node_id,
        file_id as dst_node_id,
        '' as label,
        cast(null as int) as ordinal,
        repo,
        path,
        file_id,
        0 as bstart,
        cast(size_bytes as int) as bend,
        'scan' as origin,
        'scan' as method,
        cast(1.0 as double) as confidence
    from repo_files

),

relations as (

    select * from relations_of_ast_nodes

    union all

    select * from files_in_repositories

),

graph_edges as (

    select
        xxhash64(edge_kind, src_node_id, dst_node_id, label) as edge_id,
        edge_kind,
        src_node_id,
        dst_node_id,
        label,
        ordinal,
        repo,
        path,
        file_id,
        bstart,
        bend,
        origin,
        method,
        confidence,
        confidence as score,
        1 as rank,
        cast(null as bigint) as ambiguity_group_id,
        cast(null as map<string, string>) as attrs
    from relations

)

select * from graph_edges
