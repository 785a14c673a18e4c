//! Makes many systems of one: every row of the first system is written again for each of the others, by the database itself.
use crate::postgres::Cluster;
use domain::Serial;

/// Tables that a system has rows of its own in, or that are about people.
const NOT_COPIED: &str = "systems,device_secrets,journal,code_systems,claims";

/// Gives every system all that the first one has: its facts, its settings and what it measured. Each gets an owner of its own, and
/// a place of its own somewhere between 47.5° and 55° north, 6° and 15° east. Planner statistics are up to date afterwards.
pub(super) async fn copy_to_all(cluster: &Cluster, first: &Serial) -> anyhow::Result<()> {
    // Without checks of references, which all hold: they would take longer than the rows.
    let unchecked = "SET session_replication_role = replica;";
    cluster
        .query(&format!("{unchecked} {}", owners(first)))
        .await?;
    cluster
        .query(&format!("{unchecked} {}", facts(first)))
        .await?;
    cluster
        .query(&format!("{unchecked} {}", rows(first)))
        .await?;
    cluster.query("VACUUM ANALYZE").await?;
    cluster.checkpoint().await
}

/// A statement that is put together from the columns of a table, as they are named after later migrations, too.
fn dynamic(body: &str) -> String {
    format!("DO $$ DECLARE t record; BEGIN {body} END $$")
}

fn owners(first: &Serial) -> String {
    dynamic(&format!(
        "SELECT string_agg(quote_ident(column_name), ', ') AS columns INTO t FROM information_schema.columns
             WHERE table_schema = 'public' AND table_name = 'accounts' AND column_name NOT IN ('id', 'email');
         EXECUTE 'INSERT INTO accounts (email, ' || t.columns || ') SELECT lower(n.sn) || ''@example.com'', ' || t.columns ||
             ' FROM accounts CROSS JOIN systems n WHERE accounts.id = (SELECT owner_id FROM systems WHERE sn = ''{first}'')
                 AND n.owner_id IS NULL';"
    ))
}

fn facts(first: &Serial) -> String {
    dynamic(&format!(
        "SELECT string_agg(quote_ident(column_name), ', ') AS columns INTO t FROM information_schema.columns
             WHERE table_schema = 'public' AND table_name = 'systems'
                 AND column_name NOT IN ('sn', 'site_id', 'owner_id', 'latitude', 'longitude');
         EXECUTE 'UPDATE systems SET (' || t.columns || ') = (SELECT ' || t.columns ||
             ' FROM systems WHERE sn = ''{first}'') WHERE owner_id IS NULL';
         UPDATE systems SET owner_id = a.id FROM accounts a WHERE owner_id IS NULL AND a.email = lower(systems.sn) || '@example.com';
         UPDATE systems SET latitude = 4750 + site_id * 7919 % 751, longitude = 600 + site_id * 104729 % 907;"
    ))
}

fn rows(first: &Serial) -> String {
    dynamic(&format!(
        "FOR t IN
             SELECT c.table_name AS name, bool_or(c.column_name = 'sn') AS by_sn,
                 string_agg(quote_ident(c.column_name), ', ' ORDER BY c.ordinal_position) AS columns,
                 string_agg(CASE c.column_name WHEN 'sn' THEN 'n.sn' WHEN 'site_id' THEN 'n.site_id'
                     ELSE 'r.' || quote_ident(c.column_name) END, ', ' ORDER BY c.ordinal_position) AS copied
             FROM information_schema.columns c JOIN pg_class k ON k.oid = to_regclass('public.' || quote_ident(c.table_name))
             WHERE c.table_schema = 'public' AND c.is_identity = 'NO' AND k.relkind IN ('r', 'p') AND NOT k.relispartition
                 AND c.table_name <> ALL (string_to_array('{NOT_COPIED}', ','))
             GROUP BY c.table_name HAVING bool_or(c.column_name IN ('sn', 'site_id'))
         LOOP
             EXECUTE 'INSERT INTO ' || quote_ident(t.name) || ' (' || t.columns || ') SELECT ' || t.copied || ' FROM ' ||
                 quote_ident(t.name) || ' r JOIN systems o ON ' ||
                 CASE WHEN t.by_sn THEN 'o.sn = r.sn' ELSE 'o.site_id = r.site_id' END ||
                 ' CROSS JOIN systems n WHERE o.sn = ''{first}'' AND n.sn <> o.sn ON CONFLICT DO NOTHING';
         END LOOP;"
    ))
}
