-- Generated from python_hooks/codelake/semantic/catalog/quality.py, digest 868bdfe7.
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

flow_units as (

    select * from {{ ref('flow_units') }}

),

flow_blocks as (

    select * from {{ ref('flow_blocks') }}

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

calls_of_resolved_files as (

    select
        calls.repo,
        calls.path,
        calls.line,
        calls.node_id,
        calls.name,
        calls.file_id
    from calls
    inner join resolution
        on calls.file_id = resolution.file_id

),

call_edges as (

    select
        repo,
        path,
        src_node_id as node_id
    from cpg_edges
    where edge_kind = 'CALLS' and label = ''

),

candidates_of_calls as (

    select
        repo,
        path,
        node_id,
        count(*) as candidate_count
    from call_edges
    group by
        repo,
        path,
        node_id

),

calls_without_target as (

    select
        calls_of_resolved_files.repo,
        calls_of_resolved_files.path,
        calls_of_resolved_files.line,
        calls_of_resolved_files.node_id,
        calls_of_resolved_files.name,
        calls_of_resolved_files.file_id
    from calls_of_resolved_files
    left anti join candidates_of_calls
        on calls_of_resolved_files.node_id = candidates_of_calls.node_id

),

calls_without_reason as (

    select
        calls_without_target.repo,
        calls_without_target.path,
        calls_without_target.line,
        calls_without_target.node_id,
        calls_without_target.name,
        calls_without_target.file_id
    from calls_without_target
    left anti join unresolved_calls
        on calls_without_target.node_id = unresolved_calls.call_id

),

unanswered_calls as (

    select
        'call without target or reason' as anomaly,
        repo,
        path,
        line,
        node_id,
        name
    from calls_without_reason

),

functions as (

    select
        repo,
        path,
        line,
        node_id,
        name
    from cpg_nodes
    where node_kind in ('FUNCTION', 'LAMBDA')

),

functions_without_flow as (

    select
        functions.repo,
        functions.path,
        functions.line,
        functions.node_id,
        functions.name
    from functions
    left anti join flow_units
        on functions.node_id = flow_units.unit_id

),

functions_unflowed as (

    select
        'function without flow graph' as anomaly,
        repo,
        path,
        line,
        node_id,
        name
    from functions_without_flow

),

blocks_never_reached as (

    select
        repo,
        path,
        first_node_id as node_id
    from flow_blocks
    where not is_reachable

),

places as (

    select
        node_id as place_id,
        line,
        name
    from cpg_nodes

),

dead_blocks as (

    select
        blocks_never_reached.repo,
        blocks_never_reached.path,
        blocks_never_reached.node_id,
        places.line,
        places.name
    from blocks_never_reached
    inner join places
        on blocks_never_reached.node_id = places.place_id

),

dead_code as (

    select
        'code that is never reached' as anomaly,
        repo,
        path,
        line,
        node_id,
        name
    from dead_blocks

),

calls_with_many_candidates as (

    select
        repo,
        path,
        node_id
    from candidates_of_calls
    where candidate_count > 10

),

wide_calls as (

    select
        calls_with_many_candidates.repo,
        calls_with_many_candidates.path,
        calls_with_many_candidates.node_id,
        places.line,
        places.name
    from calls_with_many_candidates
    inner join places
        on calls_with_many_candidates.node_id = places.place_id

),

ambiguous_calls as (

    select
        'call with many candidates' as anomaly,
        repo,
        path,
        line,
        node_id,
        name
    from wide_calls

),

anomalies_found as (

    select * from unanswered_calls

    union all

    select * from functions_unflowed

    union all

    select * from dead_code

    union all

    select * from ambiguous_calls

)

select * from anomalies_found
