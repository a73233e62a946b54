/** Describes what a replacing seed will delete. */
import { resolve } from 'node:path'
import { isModule, readSeedFile, type SeedFile } from '../../seeds/read-seed.js'
import { nameCollection } from '../../seeds/rows.js'
import { undefinedIfMissing } from '../base/failure.js'
import type { Client } from '../base/target-command.js'
import { counted } from '../terminal/print.js'
import type { SeedOptions } from './seed-inputs.js'

/**
 * Returns for example `12 documents of "posts" and 3 users`. Empty if nothing is deleted. Does not run modules,
 * because they may write: it only mentions them.
 */
export async function replacedWords(files: readonly string[], { client, modules }: SeedOptions): Promise<string> {
  const read: (readonly [string, SeedFile])[] = []
  for (const file of files) {
    if (isModule(file)) await modules.allow(resolve(file))
    else read.push([file, await readSeedFile(file, modules)])
  }
  const names = read.flatMap(([file, seed]) =>
    'content' in seed ? seed.content.collections.map(({ name }) => name) : [nameCollection(file)],
  )
  const parts: string[] = []
  for (const name of new Set(names)) {
    const documents = await countDocuments(client, name)
    if (documents > 0) parts.push(`${counted(documents, 'document')} of "${name}"`)
  }
  const contents = read.flatMap(([, seed]) => ('content' in seed ? [seed.content] : []))
  if (contents.some(({ users }) => users.length > 0)) {
    const { total } = await client.users.list({ limit: 1 })
    if (total) parts.push(counted(total, 'user'))
  }
  if (contents.some(({ files }) => files.some(({ isOwned }) => !isOwned))) {
    parts.push('all files without a document or user')
  }
  parts.push(...files.filter(isModule).map((file) => `everything ${file} replaces when it runs`))
  return parts.join(', ').replace(/, ([^,]*)$/, ' and $1')
}

async function countDocuments(client: Client, name: string): Promise<number> {
  return (await client.collection(name).count().catch(undefinedIfMissing)) ?? 0
}
