/**
 * Runs a seed module. Its default export is a seed, an array of documents, or a function that returns one of these. Runs
 * code only after the user has allowed it. Contract 12.4.
 */
import { resolve } from 'node:path'
import type { Client } from '../client/index.js'
import { isObject, type Json, type JsonObject } from '../client/protocol/model/json.js'
import { isSeedContent, readContent, requireNoBareCollections, type SeedContent, type SeedSource } from './content.js'
import { badSeed, InputFailure } from './failure.js'
import type { Faker } from './faker.js'
import { importModule, readReason } from './import-module.js'
import { nameCollection } from './rows.js'

/** Argument of the function in a seed module. */
export interface ModuleContext {
  /** Client of the project being seeded. */
  readonly client: Client
  /** Generator of sample data, the same at each run. Loaded on first use. */
  readonly faker: Faker
}

/** Options to run modules. */
export interface ModuleOptions {
  readonly client: Client
  /** Selects other generated data. */
  readonly randomSeed?: number | undefined
  /** Rejects if the code must not be run. */
  allow(file: string): Promise<void>
}

/** Reports errors with the module's name and the path in its export, because lines are unknown. */
export async function runSeedModule(name: string, options: ModuleOptions): Promise<SeedContent> {
  await options.allow(resolve(name))
  const source: SeedSource = { name, locate: (path) => (path.length === 0 ? name : `${name} (${path.join('.')})`) }
  const content = toJson(source, await evaluate(name, options))
  if (isSeedContent(content)) return readContent(source, content)
  if (Array.isArray(content)) {
    return readContent(source, { collections: { [nameCollection(name)]: { documents: content } } })
  }
  if (content === null) return readContent(source, {})
  requireNoBareCollections(source, content)
  const what = isObject(content)
    ? `"${Object.keys(content)[0] ?? ''}" is not part of a seed`
    : `exports a ${typeof content}`
  throw badSeed(name, `${what}. Use collections, users and files`)
}

async function evaluate(name: string, { client, randomSeed }: ModuleOptions): Promise<unknown> {
  try {
    const exported = await importModule(name)
    if (typeof exported !== 'function') return exported
    const { openFaker } = await import('./faker.js')
    const context: ModuleContext = {
      client,
      get faker() {
        return openFaker(randomSeed ?? usualRandomSeed)
      },
    }
    return await exported(context)
  } catch (error) {
    if (error instanceof InputFailure) throw error
    throw badSeed(name, `could not be run: ${readReason(error)}`, error)
  }
}

/** Default random seed, so that modules generate the same data at each run. */
const usualRandomSeed = 1

/** Converts an export to JSON: dates become text, undefined is omitted. A function that returns nothing gives null. */
function toJson({ name }: SeedSource, value: unknown): Json {
  if (value === undefined) return null
  try {
    return JSON.parse(JSON.stringify(value)) as JsonObject
  } catch (error) {
    throw badSeed(name, `its export is not JSON: ${readReason(error)}`, error)
  }
}
