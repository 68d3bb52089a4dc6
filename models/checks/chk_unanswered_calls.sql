-- Generated from python_hooks/codelake/semantic/catalog/checks.py, digest 553620e1.
-- Do not edit: run `codelake compile`.
with

cpg_nodes as (

    select * from {{ ref('cpg_nodes') }}

),

resolution as (

    select * from {{ ref('resolution') }}

),

cpg_edges as (

    select * from {{ ref('cpg_edges') }}

),

unresolved_calls as (

    select * from {{ ref('unresolved_calls') }}

),

calls as (

    select
        repo,
        path,
        file_id,
        line,
        node_id,
        name
    from cpg_nodes
    where node_kind = 'CALL'

),

resolved_files as (

    select file_id
    from resolution
    where resolution_error is null

),

calls_of_resolved_files as (

    select
        calls.repo,
        calls.path,
        calls.file_id,
        calls.line,
        calls.node_id,
        calls.name
    from calls
    inner join resolved_files
        on calls.file_id = resolved_files.file_id

),

explicit_calls as (

    select src_node_id as node_id
    from cpg_edges
    where edge_kind = 'CALLS' and label = ''

),

calls_without_target as (

    select
        calls_of_resolved_files.repo,
        calls_of_resolved_files.path,
        calls_of_resolved_files.file_id,
        calls_of_resolved_files.line,
        calls_of_resolved_files.node_id,
        calls_of_resolved_files.name
    from calls_of_resolved_files
    left anti join explicit_calls
        on calls_of_resolved_files.node_id = explicit_calls.node_id

),

calls_without_reason as (

    select
        calls_without_target.repo,
        calls_without_target.path,
        calls_without_target.file_id,
        calls_without_target.line,
        calls_without_target.node_id,
        calls_without_target.name
    from calls_without_target
    left anti join unresolved_calls
        on calls_without_target.node_id = unresolved_calls.call_id

)

select * from calls_without_reason
