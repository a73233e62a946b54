/**
 * What every session says for itself, since the role, the database or the server may say otherwise: how values are written and
 * read, and what a transaction sees. Contract 10.13.
 */
export const sessionSettings = {
  search_path: 'svc,public',
  timezone: 'UTC',
  datestyle: 'ISO,MDY',
  intervalstyle: 'postgres',
  bytea_output: 'hex',
  extra_float_digits: '1',
  standard_conforming_strings: 'on',
  transform_null_equals: 'off',
  array_nulls: 'on',
  default_transaction_isolation: 'read committed',
  default_transaction_read_only: 'off',
  default_transaction_deferrable: 'off',
  lock_timeout: '0',
  row_security: 'on',
  plan_cache_mode: 'auto',
  jit: 'off',
  // As for a disk, the planner would rather read two large indexes than a few hundred rows.
  random_page_cost: '1.1',
} as const

/** The same as options of a connection, which go before what is set for the role and the database. */
export function connectionOptions(settings: Readonly<Record<string, string | number>>): string {
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${String(value).replaceAll(/[\\ ]/g, '\\$&')}`)
    .join(' ')
}
