/**
 * A seed that is code: its default export is the seed, an array of documents, or a function that answers one of them. Code of a
 * folder is run only after it was allowed. Contract 12.4.
 */
import { resolve } from 'node:path'
import type { Client } from '../client/index.js'
import { isObject, type Json, type JsonObject } from '../client/protocol/model/json.js'
import { isSeedContent, readContent, requireNoBareCollections, type SeedContent, type SeedSource } from './content.js'
import { badSeed, InputFailure } from './failure.js'
import type { Faker } from './faker.js'
import { importModule, reasonOf } from './import-module.js'
import { collectionOf } from './rows.js'

/** What the function of a seed module gets. */
export interface ModuleContext {
  /** A client of the project that is seeded. */
  readonly client: Client
  /** Made-up data that are the same each time; loaded when it is asked for. */
  readonly faker: Faker
}

/** How modules are run. */
export interface ModuleOptions {
  readonly client: Client
  /** Draws other made-up data. */
  readonly randomSeed?: number | undefined
  /** Rejects where code of that folder may not be run. */
  allow(file: string): Promise<void>
}

/** The place in the module is unknown; its name and the path in what it exports have to do. */
export async function runSeedModule(name: string, options: ModuleOptions): Promise<SeedContent> {
  await options.allow(resolve(name))
  const source: SeedSource = { name, placeOf: (path) => (path.length === 0 ? name : `${name} (${path.join('.')})`) }
  const content = jsonOf(source, await evaluate(name, options))
  if (isSeedContent(content)) return readContent(source, content)
  if (Array.isArray(content)) {
    return readContent(source, { collections: { [collectionOf(name)]: { documents: content } } })
  }
  if (content === null) return readContent(source, {})
  requireNoBareCollections(source, content)
  const what = isObject(content)
    ? `"${Object.keys(content)[0] ?? ''}" is not part of a seed`
    : `exports a ${typeof content}`
  throw badSeed(name, `${what}; a seed has collections, users and files`)
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
    throw badSeed(name, `it could not be run: ${reasonOf(error)}`, error)
  }
}

/** So that a module without a seed of its own says the same each time. */
const usualRandomSeed = 1

/** Dates become text, and what is undefined is left out; a function that answers nothing has written by itself. */
function jsonOf({ name }: SeedSource, value: unknown): Json {
  if (value === undefined) return null
  try {
    return JSON.parse(JSON.stringify(value)) as JsonObject
  } catch (error) {
    throw badSeed(name, `what it exports is not JSON: ${reasonOf(error)}`, error)
  }
}
