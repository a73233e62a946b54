/** Remembers the ids of seeded documents, so that a document without a key is recognized after its fields changed. */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isObject } from '../../client/protocol/model/json.js'
import type { DocumentEntry as SeedDocument } from '../../seeds/content.js'
import { hashJson } from '../files/hash.js'
import { recordsFolder } from '../target/records-folder.js'

interface PlantedDocument {
  readonly name: string
  readonly id: string
  /** Hash of the fields as the file had them. */
  readonly hash: string
}

export interface PlantedIds {
  /** Ids of documents seeded before, by their name in the file. */
  readonly found: ReadonlyMap<string, string>
  save(ids: ReadonlyMap<string, string>): void
}

/**
 * Opens the saved ids for a file and a collection. The collection's id distinguishes it from others with the same
 * name.
 */
export function openPlantedIds(file: string, collectionId: string, documents: readonly SeedDocument[]): PlantedIds {
  const folder = join(recordsFolder(), 'seeds')
  const path = join(folder, `${hashJson([resolve(file), collectionId]).slice(0, 32)}.json`)
  return {
    found: match(documents, readPlanted(path)),
    save(ids) {
      const planted = documents.flatMap(({ name, fields }): PlantedDocument[] => {
        const id = ids.get(name)
        return id === undefined ? [] : [{ name, id, hash: hashJson(fields) }]
      })
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 })
        writeFileSync(`${path}.new`, JSON.stringify(planted), { mode: 0o600 })
        renameSync(`${path}.new`, path)
      } catch {
        // Ignores a read-only home folder. Documents are then recognized by their fields.
      }
    },
  }
}

/** Matches documents by fields first, then by name. Among several with the same fields, the name decides. */
function match(documents: readonly SeedDocument[], planted: readonly PlantedDocument[]): Map<string, string> {
  const ids = new Map<string, string>()
  const hashes = new Map(documents.map(({ name, fields }) => [name, hashJson(fields)]))
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
