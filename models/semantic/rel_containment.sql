-- Generated from python_hooks/codelake/semantic/catalog/syntax.py, digest f55be3e0.
-- Do not edit: run `codelake compile`.
with

repo_files as (

    select * from {{ ref('repo_files') }}

),

ast_nodes as (

    select * from {{ ref('ast_nodes') }}

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
        1 as rank,
        cast(null as bigint) as ambiguity_group_id
    from repo_files

),

containment_of_ast_nodes as (

    select
        'CONTAINS' as edge_kind,
        found.src_node_id,
        node_id as dst_node_id,
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
        lateral view explode(array(
            -- modules_in_files
            case when kind = 'MODULE' then struct(file_id as src_node_id) end,
            -- definitions_in_owners
            case
                when kind in ('CLASS', 'FUNCTION', 'LAMBDA', 'COMPREHENSION')
                    then struct(owner_id as src_node_id)
            end
        )) branches as found
    where found is not null

),

containment as (

    select * from files_in_repositories

    union all

    select * from containment_of_ast_nodes

)

select * from containment
