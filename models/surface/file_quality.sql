-- Generated from python_hooks/codelake/semantic/catalog/quality.py, digest 09130f11.
-- Do not edit: run `codelake compile`.
with

repo_files as (

    select * from {{ ref('repo_files') }}

),

extract_errors as (

    select * from {{ ref('extract_errors') }}

),

cpg_nodes as (

    select * from {{ ref('cpg_nodes') }}

),

unresolved_calls as (

    select * from {{ ref('unresolved_calls') }}

),

files as (

    select
        repo,
        path,
        file_id,
        parser
    from repo_files

),

errors_of_files as (

    select
        file_id,
        count(*) as error_total
    from extract_errors
    group by file_id

),

files_with_errors as (

    select
        files.repo,
        files.path,
        files.file_id,
        files.parser,
        errors_of_files.error_total
    from files
    left join errors_of_files
        on files.file_id = errors_of_files.file_id

),

nodes_of_files as (

    select
        file_id,
        count(*) as node_total
    from cpg_nodes
    group by file_id

),

files_with_nodes as (

    select
        files_with_errors.repo,
        files_with_errors.path,
        files_with_errors.file_id,
        files_with_errors.parser,
        files_with_errors.error_total,
        nodes_of_files.node_total
    from files_with_errors
    left join nodes_of_files
        on files_with_errors.file_id = nodes_of_files.file_id

),

calls as (

    select
        repo,
        path,
        line,
        node_id,
        name,
        file_id
    from cpg_nodes
    where node_kind = 'CALL'

),

calls_of_files as (

    select
        file_id,
        count(*) as call_total
    from calls
    group by file_id

),

files_with_calls as (

    select
        files_with_nodes.repo,
        files_with_nodes.path,
        files_with_nodes.file_id,
        files_with_nodes.parser,
        files_with_nodes.error_total,
        files_with_nodes.node_total,
        calls_of_files.call_total
    from files_with_nodes
    left join calls_of_files
        on files_with_nodes.file_id = calls_of_files.file_id

),

unknown_calls_of_files as (

    select
        file_id,
        count(*) as unknown_total
    from unresolved_calls
    group by file_id

),

files_with_unknown_calls as (

    select
        files_with_calls.repo,
        files_with_calls.path,
        files_with_calls.file_id,
        files_with_calls.parser,
        files_with_calls.error_total,
        files_with_calls.node_total,
        files_with_calls.call_total,
        unknown_calls_of_files.unknown_total
    from files_with_calls
    left join unknown_calls_of_files
        on files_with_calls.file_id = unknown_calls_of_files.file_id

),

files_measured as (

    select
        repo,
        path,
        file_id,
        parser,
        coalesce(error_total, 0) as error_count,
        coalesce(node_total, 0) as node_count,
        coalesce(call_total, 0) as call_count,
        coalesce(unknown_total, 0) as unknown_call_count
    from files_with_unknown_calls

)

select * from files_measured
