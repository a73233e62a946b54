import { createRequire } from 'node:module'
import type { Faker } from '@faker-js/faker'
import { InputFailure } from './failure.js'

export type { Faker }

/** Reference date, so that generated dates stay the same. */
const refDate = '2026-01-01T00:00:00.000Z'

/** Opens a generator that repeats its data for the same seed. @throws {InputFailure} if the package is not installed */
export function openFaker(randomSeed: number): Faker {
  const { Faker, en, base } = load()
  const faker = new Faker({ locale: [en, base], seed: randomSeed })
  faker.setDefaultRefDate(refDate)
  return faker
}

/** Loads the package on demand. Users install it themselves, because it is large and few seeds need it. */
function load(): typeof import('@faker-js/faker') {
  try {
    return createRequire(import.meta.url)('@faker-js/faker')
  } catch (cause) {
    const hint =
      'Install it where svc-toolkit is installed: npm install --save-dev @faker-js/faker (or --global for a global svc).'
    throw new InputFailure('missing', 'NO_PACKAGE', 'Generated data needs the package @faker-js/faker.', hint, {
      cause,
    })
  }
}
