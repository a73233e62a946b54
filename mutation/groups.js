/**
 * Selects the sources to mutate and the tests to run. A group has few tests, the most effective first, because a
 * mutant would take minutes with the whole suite. All run in process. Tests that need a service run it in process too,
 * on PGlite in memory.
 *
 * @typedef {{ sources: string[], tests: string[], needsService?: boolean }} Group
 * @type {Record<string, Group>}
 */
export const groups = {
  paths: {
    sources: ['client/protocol/model/path.ts', 'emulator/core/files/file-names.ts'],
    tests: ['test/emulator/store/paths.test.ts', 'test/emulator/files/file-names.test.ts'],
  },
  permissions: {
    sources: [
      'client/protocol/model/access/key-scope.ts',
      'emulator/core/access/grant.ts',
      'emulator/core/access/scopes.ts',
    ],
    tests: ['test/emulator/requests/permissions.test.ts'],
  },
  keys: {
    sources: ['emulator/core/projects/keys.ts'],
    tests: ['emulator/core/projects/keys.test.ts'],
  },
  credentials: {
    sources: [
      'emulator/core/accounts/codes.ts',
      'emulator/core/accounts/emails.ts',
      'emulator/core/accounts/passwords.ts',
      'emulator/core/logins/tokens.ts',
    ],
    tests: ['test/emulator/accounts/credentials.test.ts'],
  },
  identities: {
    sources: ['emulator/core/logins/credentials.ts'],
    tests: ['test/emulator/accounts/identities.test.ts'],
  },
  logins: {
    sources: [
      'emulator/core/accounts/one-time-tokens.ts',
      'emulator/core/accounts/password-change.ts',
      'emulator/core/accounts/password-reset.ts',
      'emulator/core/accounts/two-factor.ts',
      'emulator/core/accounts/verification.ts',
      'emulator/core/logins/logins.ts',
      'emulator/core/logins/sessions.ts',
      'emulator/http/guards/identify.ts',
    ],
    tests: [
      'test/conformance/accounts/tokens.test.ts',
      'test/conformance/accounts/accounts.test.ts',
      'test/conformance/accounts/two-factor.test.ts',
      'test/conformance/accounts/verification.test.ts',
      'test/conformance/accounts/current-user.test.ts',
      'test/conformance/requests/keys.test.ts',
      'test/emulator/accounts/own-accounts.test.ts',
      'test/emulator/accounts/password-races.test.ts',
      'test/emulator/accounts/login-throttle.test.ts',
      'test/emulator/accounts/smtp.test.ts',
      'test/emulator/time.test.ts',
      'test/emulator/events/kinds-of-events.test.ts',
      'test/emulator/requests/reasons.test.ts',
      'test/emulator/accounts/mail-limits.test.ts',
      'test/emulator/accounts/public-routes.test.ts',
      'test/emulator/home-dialect.test.ts',
      'test/emulator/realtime/callers.test.ts',
    ],
    needsService: true,
  },
  throttling: {
    sources: ['emulator/core/logins/login-throttle.ts'],
    tests: ['test/emulator/accounts/login-throttle.test.ts'],
  },
  filters: {
    sources: [
      'client/protocol/model/where.ts',
      'client/protocol/wire/filters/bounds.ts',
      'client/protocol/wire/filters/decode.ts',
      'client/protocol/wire/filters/encode.ts',
      'client/protocol/wire/filters/suffixes.ts',
      'client/protocol/model/matching.ts',
      'emulator/core/realtime/matching.ts',
      'emulator/core/realtime/text-search.ts',
    ],
    tests: [
      'test/emulator/store/filters.test.ts',
      'client/protocol/wire/filters/filters.test.ts',
      'test/emulator/store/matching.test.ts',
      'client/protocol/wire/query/query.test.ts',
      'client/protocol/wire/round-trip.test.ts',
    ],
  },
  'filters-in-sql': {
    sources: [
      'emulator/store/lists/equality.ts',
      'emulator/store/lists/field-test.ts',
      'emulator/store/lists/own-field-test.ts',
      'emulator/store/lists/where.ts',
    ],
    tests: [
      'emulator/store/lists/field-test.test.ts',
      'test/emulator/store/equality.test.ts',
      'test/emulator/store/related-filters.test.ts',
      'test/emulator/store/field-indexes.test.ts',
      'test/emulator/store/where-parity.test.ts',
    ],
  },
}
