/**
 * What is mutated, and with which tests. A group has the tests that are its own, those first that find most: with a whole suite
 * a mutant would cost minutes. All of them run in process, on PGlite in memory.
 *
 * @typedef {{ sources: string[], tests: string[] }} Group
 * @type {Record<string, Group>}
 */
export const groups = {
  paths: {
    sources: ['client/protocol/model/path.ts', 'emulator/core/files/file-names.ts'],
    tests: ['test/emulator/store/paths.test.ts', 'test/conformance/files/file-names.test.ts'],
  },
  permissions: {
    sources: [
      'client/protocol/model/access/key-scope.ts',
      'emulator/core/collections/permissions.ts',
      'emulator/core/collections/scopes.ts',
      'emulator/core/projects/keys.ts',
    ],
    tests: [
      'test/conformance/collections/permissions.test.ts',
      'test/conformance/collections/roles.test.ts',
      'test/conformance/collections/owners.test.ts',
      'test/conformance/collections/visibility.test.ts',
      'test/conformance/requests/key-scopes.test.ts',
      'test/conformance/requests/keys.test.ts',
    ],
  },
  auth: {
    sources: [
      'emulator/core/accounts/codes.ts',
      'emulator/core/accounts/emails.ts',
      'emulator/core/accounts/one-time-tokens.ts',
      'emulator/core/accounts/password-change.ts',
      'emulator/core/accounts/password-reset.ts',
      'emulator/core/accounts/passwords.ts',
      'emulator/core/accounts/two-factor.ts',
      'emulator/core/accounts/verification.ts',
      'emulator/core/logins/credentials.ts',
      'emulator/core/logins/logins.ts',
      'emulator/core/logins/sessions.ts',
      'emulator/core/logins/tokens.ts',
      'emulator/http/guards/identify.ts',
    ],
    tests: [
      'test/conformance/accounts/tokens.test.ts',
      'test/conformance/accounts/accounts.test.ts',
      'test/conformance/accounts/two-factor.test.ts',
      'test/conformance/accounts/verification.test.ts',
      'test/conformance/accounts/current-user.test.ts',
      'test/conformance/accounts/owner.test.ts',
      'test/conformance/accounts/users.test.ts',
      'test/conformance/requests/keys.test.ts',
      'test/conformance/requests/key-scopes.test.ts',
    ],
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
      'emulator/core/realtime/matching.ts',
      'emulator/core/realtime/text-search.ts',
      'emulator/store/lists/equality.ts',
      'emulator/store/lists/field-test.ts',
      'emulator/store/lists/own-field-test.ts',
      'emulator/store/lists/where.ts',
    ],
    tests: [
      'client/protocol/wire/round-trip.test.ts',
      'client/protocol/wire/query/query.test.ts',
      'test/emulator/store/matching.test.ts',
      'test/conformance/documents/filters.test.ts',
      'test/conformance/documents/or-groups.test.ts',
      'test/conformance/documents/bounded-filters.test.ts',
      'test/conformance/documents/many-values.test.ts',
      'test/conformance/documents/filtered-names.test.ts',
      'test/emulator/store/where-parity.test.ts',
    ],
  },
}
