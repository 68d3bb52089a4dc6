-- Generated from python_hooks/codelake/semantic/catalog/symbols.py, digest 58fe625d.
-- Do not edit: run `codelake compile`.
with

scip_occurrences as (

    select * from {{ ref('scip_occurrences') }}

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

symbols_once as (

    select
        symbol_id,
        scip_symbol
    from places_of_symbols
    group by
        symbol_id,
        scip_symbol

),

symbols as (

    select
        symbol_id as node_id,
        'SCIP_SYMBOL' as node_kind,
        scip_symbol
    from symbols_once

)

select * from symbols
