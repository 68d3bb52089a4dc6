-- Generated from python_hooks/codelake/semantic/catalog/quality.py, digest d80f60ee.
-- Do not edit: run `codelake compile`.
with

flow_blocks as (

    select * from {{ ref('flow_blocks') }}

),

cpg_nodes as (

    select * from {{ ref('cpg_nodes') }}

),

cpg_edges as (

    select * from {{ ref('cpg_edges') }}

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

call_edges as (

    select
        repo,
        path,
        src_node_id as node_id,
        ambiguity_group_id as group_id
    from cpg_edges
    where edge_kind = 'CALLS' and label = ''

),

-- a class and its __init__ are both called: no group
candidates_of_calls as (

    select
        repo,
        path,
        node_id,
        greatest(count(group_id), cast(1 as bigint)) as candidate_count
    from call_edges
    group by
        repo,
        path,
        node_id

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

    select * from dead_code

    union all

    select * from ambiguous_calls

)

select * from anomalies_found
