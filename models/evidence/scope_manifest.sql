-- Generated from python_hooks/codelake/semantic/catalog/repositories.py, digest 8bf84377.
-- Do not edit: run `codelake compile`.
with

evidence_repositories as (

    select * from {{ ref('evidence_repositories') }}

),

scope_of_evidence_repositories as (

    select
        repo,
        repository_id,
        listed_by,
        scope
    from evidence_repositories

),

scope_manifest_seen as (

    select
        repo,
        repository_id,
        listed_by,
        entry.path as listed_path,
        entry.kind,
        entry.is_included,
        entry.reason,
        entry.detail,
        entry.files
    from scope_of_evidence_repositories
        lateral view explode(scope) scope_exploded as entry

)

select * from scope_manifest_seen
