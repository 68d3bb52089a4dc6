-- Generated from python_hooks/codelake/semantic/catalog/symbols.py, digest dcc5c37e.
-- Do not edit: run `codelake compile`.
with

symbol_relationships as (

    select * from {{ ref('symbol_relationships') }}

),

scip_occurrences as (

    select * from {{ ref('scip_occurrences') }}

),

symbols_of_index_of_symbol_relationships as (

    select
        found.node_id,
        found.scip_symbol
    from symbol_relationships
        lateral view explode(array(
            -- symbols_that_implement
            struct(symbol_id as node_id, scip_symbol as scip_symbol),
            -- symbols_implemented
            struct(related_id as node_id, related_symbol as scip_symbol)
        )) branches as found

),

places_of_symbols as (

    select
        repo,
        path,
        file_id,
        if(
            startswith(coalesce(scip_symbol, ''), 'local '),
            xxhash64(file_id, 'scip', coalesce(scip_symbol, '')),
            xxhash64('scip', coalesce(scip_symbol, ''))
        ) as symbol_id,
        coalesce(scip_symbol, '') as scip_symbol,
        is_definition,
        bstart,
        bend
    from scip_occurrences
    where scip_symbol is not null and bstart is not null

),

symbols_at_places as (

    select
        symbol_id as node_id,
        scip_symbol
    from places_of_symbols

),

symbols_of_index as (

    select * from symbols_of_index_of_symbol_relationships

    union all

    select * from symbols_at_places

),

symbols_once as (

    select
        node_id,
        scip_symbol
    from symbols_of_index
    group by
        node_id,
        scip_symbol

)

select * from symbols_once
