-- Generated from python_hooks/codelake/semantic/catalog/symbols.py, digest 74630498.
-- Do not edit: run `codelake compile`.
with

scip_occurrences as (

    select * from {{ ref('scip_occurrences') }}

),

ast_defs as (

    select * from {{ ref('ast_defs') }}

),

ast_nodes as (

    select * from {{ ref('ast_nodes') }}

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

named_definitions as (

    select
        def_id as node_id,
        file_id as node_file_id,
        name_bstart as token_start,
        name_bend as token_end
    from ast_defs
    where name_bstart is not null

),

named_nodes as (

    select
        node_id,
        file_id as node_file_id,
        if(kind = 'ATTRIBUTE', bend - octet_length(name), bstart) as token_start,
        bend as token_end
    from ast_nodes
    where kind in ('NAME', 'ATTRIBUTE', 'IMPORT', 'PARAMETER')

),

named_places as (

    select * from named_definitions

    union all

    select * from named_nodes

),

occurrences_at_nodes as (

    select
        places_of_symbols.repo,
        places_of_symbols.path,
        places_of_symbols.file_id,
        places_of_symbols.symbol_id,
        places_of_symbols.scip_symbol,
        places_of_symbols.is_definition,
        places_of_symbols.bstart,
        places_of_symbols.bend,
        named_places.node_id
    from places_of_symbols
    inner join named_places
        on
            places_of_symbols.file_id = named_places.node_file_id
            and places_of_symbols.bstart = named_places.token_start
            and places_of_symbols.bend = named_places.token_end

),

-- an index may name a symbol twice at one place, with other roles
occurrences_once as (

    select
        repo,
        path,
        file_id,
        node_id,
        symbol_id,
        scip_symbol,
        is_definition,
        bstart,
        bend
    from occurrences_at_nodes
    group by
        repo,
        path,
        file_id,
        node_id,
        symbol_id,
        scip_symbol,
        is_definition,
        bstart,
        bend

),

occurrences_of_nodes as (

    select
        repo,
        path,
        file_id,
        node_id,
        symbol_id,
        scip_symbol,
        is_definition,
        bstart,
        bend
    from occurrences_once

)

select * from occurrences_of_nodes
