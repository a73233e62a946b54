/** Which documents an earlier planting of a file made, so that one without a key is known again after its fields changed. */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isObject } from '../../client/protocol/model/json.js'
import type { DocumentEntry as SeedDocument } from '../../seeds/content.js'
import { hashOf } from '../files/hash.js'
import { recordsFolder } from '../target/records-folder.js'

interface PlantedDocument {
  readonly name: string
  readonly id: string
  /** Of its fields as the file had them. */
  readonly hash: string
}

export interface PlantedIds {
  /** The ids of the documents that were planted before, by the names that they have in the file. */
  readonly found: ReadonlyMap<string, string>
  /** Keeps the ids for the next time. */
  save(ids: ReadonlyMap<string, string>): void
}

/** What is known of these documents of a file in a collection, which its id tells from one of the same name elsewhere. */
export function openPlantedIds(file: string, collectionId: string, documents: readonly SeedDocument[]): PlantedIds {
  const folder = join(recordsFolder(), 'seeds')
  const path = join(folder, `${hashOf([resolve(file), collectionId]).slice(0, 32)}.json`)
  return {
    found: match(documents, readPlanted(path)),
    save(ids) {
      const planted = documents.flatMap(({ name, fields }): PlantedDocument[] => {
        const id = ids.get(name)
        return id === undefined ? [] : [{ name, id, hash: hashOf(fields) }]
      })
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 })
        writeFileSync(`${path}.new`, JSON.stringify(planted), { mode: 0o600 })
        renameSync(`${path}.new`, path)
      } catch {
        // A home that cannot be written to is no reason to refuse a seed: its documents are known by their fields then.
      }
    },
  }
}

/** A document is the one with the same fields, of several the one of the same name; else what is left of its name. */
function match(documents: readonly SeedDocument[], planted: readonly PlantedDocument[]): Map<string, string> {
  const ids = new Map<string, string>()
  const hashes = new Map(documents.map(({ name, fields }) => [name, hashOf(fields)]))
  const left = new Map(planted.map((one) => [one.name, one]))
  const take = (name: string, before: PlantedDocument | undefined) => {
    if (!before || ids.has(name)) return
    ids.set(name, before.id)
    left.delete(before.name)
  }
  for (const [name, hash] of hashes) take(name, left.get(name)?.hash === hash ? left.get(name) : undefined)
  const byHash = new Map<string, PlantedDocument[]>()
  for (const one of left.values()) byHash.set(one.hash, [...(byHash.get(one.hash) ?? []), one])
  for (const [name, hash] of hashes) if (!ids.has(name)) take(name, byHash.get(hash)?.shift())
  for (const name of hashes.keys()) take(name, left.get(name))
  return ids
}

function readPlanted(path: string): PlantedDocument[] {
  if (!existsSync(path)) return []
  try {
    const planted: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return Array.isArray(planted) ? planted.filter(isPlanted) : []
  } catch {
    return []
  }
}

function isPlanted(value: unknown): value is PlantedDocument {
  return isObject(value) && [value.name, value.id, value.hash].every((part) => typeof part === 'string')
}
