import { createRequire } from 'node:module'
import type { Faker } from '@faker-js/faker'
import { InputFailure } from './failure.js'

export type { Faker }

/** What made-up dates are counted from, so that they are the same next year. */
const refDate = '2026-01-01T00:00:00.000Z'

/** Made-up data, the same ones for the same number. @throws {InputFailure} where the package is not installed */
export function openFaker(randomSeed: number): Faker {
  const { Faker, en, base } = load()
  const faker = new Faker({ locale: [en, base], seed: randomSeed })
  faker.setDefaultRefDate(refDate)
  return faker
}

/** It is large, so it is installed where it can be, and loaded on demand. */
function load(): typeof import('@faker-js/faker') {
  try {
    return createRequire(import.meta.url)('@faker-js/faker')
  } catch (cause) {
    const hint = 'Install it: npm install --save-dev @faker-js/faker'
    throw new InputFailure('missing', 'NO_PACKAGE', 'Made-up data need @faker-js/faker.', hint, { cause })
  }
}
