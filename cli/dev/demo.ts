/** Something to look at: authors, posts that link to them, comments that link to posts, a user and a file. */

import type { Schema } from '../../client/protocol/model/collection.js'
import type { Fields } from '../../client/protocol/model/document.js'
import type { Client } from '../base/target-command.js'
import { createIfMissing } from '../collections/create-if-missing.js'

export interface Demo {
  /** Commands, without the name of the program. */
  readonly toTry: readonly string[]
}

/** Fills what is missing or empty, and leaves alone what is there: starting again adds nothing. */
export async function loadDemo(client: Client): Promise<Demo> {
  const authors = await fill(client, 'authors', authorSchema, () =>
    authorNames.map((name, at) => ({ name, role: at === 0 ? 'admin' : 'writer' })),
  )
  const posts = await fill(client, 'posts', postSchema, () =>
    titles.map((title, at) => ({
      title,
      status: at % 4 === 3 ? 'draft' : 'published',
      views: (at * 137) % 900,
      tags: tags.filter((_, tag) => (at + tag) % 3 === 0),
      author: authors[at % authors.length] ?? null,
    })),
  )
  await fill(client, 'comments', {}, () =>
    remarks.map((text, at) => ({
      text,
      post: posts[(at * 5) % posts.length] ?? null,
      author: authors[(at + 1) % authors.length] ?? null,
    })),
  )
  await addUser(client)
  await addFile(client)
  return {
    toTry: [
      'docs list posts --populate author',
      'docs list posts --where views__gte=300 --sort -views',
      'docs create posts title=Hello status=draft views:=1',
      `users login ${demoUser.email} --password ${demoUser.password}`,
    ],
  }
}

/** The ids of the documents of a collection, which is made and filled where it is not. */
async function fill(client: Client, name: string, schema: Schema, documents: () => Fields[]): Promise<string[]> {
  await createIfMissing(client, { name, schema })
  const collection = client.collection(name)
  const there = await collection.list({ limit: 20, sort: 'createdAt' })
  if (there.items.length > 0) return there.items.map(({ id }) => id)
  const made = await collection.createMany(documents())
  return made.map(({ id }) => id)
}

/** Nobody whom the built-in identity provider knows: they could not log in there any more. */
const demoUser = { email: 'linus@example.com', password: 'Correct4Horse', data: { username: 'linus' } }

async function addUser({ users, auth }: Client): Promise<void> {
  const { items } = await users.list({ where: { email: demoUser.email }, limit: 1 })
  if (items.length > 0) return
  const { requires2fa } = await auth.signUp(demoUser)
  // Whatever follows is the key's again.
  if (!requires2fa) await auth.logOut()
}

async function addFile({ files }: Client): Promise<void> {
  if ((await files.info()).files > 0) return
  await files.upload(new File(['Files have public addresses, such as this one.\n'], 'welcome.txt'), { path: 'demo' })
}

const authorSchema: Schema = { name: { type: 'string', required: true }, role: { type: 'string' } }
const postSchema: Schema = {
  title: { type: 'string', required: true },
  status: { type: 'string', default: 'draft' },
  views: { type: 'integer', default: 0 },
  tags: { type: 'array' },
}

const authorNames = ['Ada', 'Grace', 'Linus', 'Mary']
const tags = ['news', 'how-to', 'opinion']
const titles = [
  'A quiet start',
  'How lists are sorted',
  'What a filter means',
  'Notes for tomorrow',
  'The shape of a document',
  'Counting to a million',
  'Why ids carry the time',
  'A draft about drafts',
  'Links between documents',
  'Reading the manual',
  'Small and fast',
  'Questions nobody asked',
]
const remarks = [
  'I learned something.',
  'Is there a sequel?',
  'The third paragraph is the best one.',
  'It works on my machine.',
  'Thank you for writing this.',
  'I would have sorted it the other way.',
  'Short and clear.',
  'More of this, please.',
]
