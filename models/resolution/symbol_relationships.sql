-- Generated from python_hooks/codelake/semantic/catalog/symbols.py, digest 23f5573e.
-- Do not edit: run `codelake compile`.
with

scip_symbol_relationships as (

    select * from {{ ref('scip_symbol_relationships') }}

),

implementations as (

    select
        repo,
        coalesce(path, '') as path,
        coalesce(file_id, 0) as file_id,
        if(
            startswith(scip_symbol, 'local '),
            xxhash64(coalesce(file_id, 0), 'scip', scip_symbol),
            xxhash64('scip', scip_symbol)
        ) as symbol_id,
        if(
            startswith(related_symbol, 'local '),
            xxhash64(coalesce(file_id, 0), 'scip', related_symbol),
            xxhash64('scip', related_symbol)
        ) as related_id
    from scip_symbol_relationships
    where is_implementation and path is not null

)

select * from implementations
