-- Generated from python_hooks/codelake/semantic/catalog/checks.py, digest ed292653.
-- Do not edit: run `codelake compile`.
-- depends_on: {{ ref('cpg_edges') }}
with

cpg_nodes as (

    select * from {{ ref('cpg_nodes') }}

),

functions as (

    select
        node_id,
        file_id
    from cpg_nodes
    where node_kind = 'FUNCTION'

),

entries as (

    select file_id
    from cpg_nodes
    where node_kind = 'ENTRY'

),

flowing_files as (

    select file_id
    from entries
    group by file_id

),

functions_of_flowing_files as (

    select
        functions.node_id,
        functions.file_id
    from functions
    inner join flowing_files
        on functions.file_id = flowing_files.file_id

),

ends as (

    select
        owner_id,
        node_kind
    from cpg_nodes
    where node_kind in ('ENTRY', 'EXIT')

),

ends_of_definitions as (

    select
        owner_id,
        count(if(node_kind = 'ENTRY', 1, null)) as entries,
        count(if(node_kind = 'EXIT', 1, null)) as exits
    from ends
    group by owner_id

),

functions_with_ends as (

    select
        functions_of_flowing_files.node_id,
        functions_of_flowing_files.file_id,
        ends_of_definitions.entries,
        ends_of_definitions.exits
    from functions_of_flowing_files
    left join ends_of_definitions
        on functions_of_flowing_files.node_id = ends_of_definitions.owner_id

),

functions_with_other_ends as (

    select
        node_id,
        coalesce(entries, 0) as entry_count,
        coalesce(exits, 0) as exit_count
    from functions_with_ends
    where coalesce(entries, 0) != 1 or coalesce(exits, 0) != 1

)

select * from functions_with_other_ends
