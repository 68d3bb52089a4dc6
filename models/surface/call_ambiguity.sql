-- Generated from python_hooks/codelake/semantic/catalog/quality.py, digest a6f4abe2.
-- Do not edit: run `codelake compile`.
with

cpg_edges as (

    select * from {{ ref('cpg_edges') }}

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

calls_by_candidates as (

    select
        repo,
        candidate_count,
        count(*) as call_count
    from candidates_of_calls
    group by
        repo,
        candidate_count

)

select * from calls_by_candidates
