/**
 * Runs a seed written as code. Its default export is the seed, an array of documents, or a function that returns
 * either. Runs only if allowed. Contract 12.4.
 */
import { resolve } from 'node:path'
import type { Client } from '../client/index.js'
import { isObject, type Json, type JsonObject } from '../client/protocol/model/json.js'
import { isSeedContent, readContent, requireNoBareCollections, type SeedContent, type SeedSource } from './content.js'
import { badSeed, InputFailure } from './failure.js'
import type { Faker } from './faker.js'
import { describeReason, importModule } from './import-module.js'
import { collectionNameFor } from './rows.js'

/** Argument of a seed module's function. */
export interface ModuleContext {
  /** A client for the project to seed. */
  readonly client: Client
  /** Deterministic generated data. Loaded on first use. */
  readonly faker: Faker
}

export interface ModuleOptions {
  readonly client: Client
  /** Varies the generated data. */
  readonly randomSeed?: number | undefined
  /** Rejects if code in that folder must not run. */
  allow(file: string): Promise<void>
}

/** Reads the module's export. Line numbers are unknown, so positions show the file and the path in the export. */
export async function runSeedModule(name: string, options: ModuleOptions): Promise<SeedContent> {
  await options.allow(resolve(name))
  const source: SeedSource = { name, placeOf: (path) => (path.length === 0 ? name : `${name} (${path.join('.')})`) }
  const content = toJson(source, await evaluate(name, options))
  if (isSeedContent(content)) return readContent(source, content)
  if (Array.isArray(content)) {
    return readContent(source, { collections: { [collectionNameFor(name)]: { documents: content } } })
  }
  if (content === null) return readContent(source, {})
  requireNoBareCollections(source, content)
  const what = isObject(content)
    ? `"${Object.keys(content)[0] ?? ''}" is not part of a seed`
    : `exports a ${typeof content}`
  throw badSeed(name, `${what}; a seed consists of collections, users, and files`)
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
    throw badSeed(name, `it failed: ${describeReason(error)}`, error)
  }
}

/** Fixed seed, so that a module generates the same data each time. */
const usualRandomSeed = 1

/** Converts dates to text and drops undefined fields. A function that returns nothing has written the data itself. */
function toJson({ name }: SeedSource, value: unknown): Json {
  if (value === undefined) return null
  try {
    return JSON.parse(JSON.stringify(value)) as JsonObject
  } catch (error) {
    throw badSeed(name, `its export cannot be converted to JSON: ${describeReason(error)}`, error)
  }
}
