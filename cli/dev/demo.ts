/** Demo data: authors, posts that link to them, comments that link to posts, a user and a file. */
import { SvcError } from '../../client/protocol/model/errors.js'
import type { JsonObject } from '../../client/protocol/model/json.js'
import type { SeedDocuments, SeedStep } from '../../client/protocol/model/seed/steps.js'
import type { SeedTarget } from '../../seeds/send.js'
import type { Client } from '../base/target-command.js'

export interface Demo {
  /** Commands to try, without the program name. */
  readonly toTry: readonly string[]
}

/**
 * Fills missing or empty collections, whatever their permissions, and keeps existing data, so a restart adds nothing. If the
 * existing data does not fit, adds nothing and says so. Earlier demo data can still be tried.
 */
export async function loadDemo(
  { control, project }: SeedTarget,
  { collections }: Pick<Client, 'collections'>,
  say: (words: string) => void,
): Promise<Demo | undefined> {
  const form = new FormData()
  form.set('steps', new Blob(steps().map((step) => `${JSON.stringify(step)}\n`)), 'steps.ndjson')
  form.set(filePart, new File(['Files have public addresses, such as this one.\n'], 'welcome.txt'))
  try {
    await control.seeds.apply({ project, form })
  } catch (error) {
    if (!(error instanceof SvcError)) throw error
    const lacksReferred = error.issues.some(({ type }) => type === 'reference')
    say(`No demo data added: ${lacksReferred ? lacksWords : error.message}`)
    const isThere = lacksReferred && (await collections.get('posts').catch(() => undefined)) !== undefined
    if (!isThere) return undefined
  }
  return {
    toTry: [
      'docs list posts --populate author',
      'docs list posts --where views__gte=300 --sort -views',
      'docs create posts title=Hello status=draft views:=1',
      `users login ${demoUser.email} --password ${demoUser.password}`,
    ],
  }
}

const lacksWords =
  '"authors" or "posts" lacks documents of the demo. To restore it, delete authors, posts and comments, or run svc reset.'

const filePart = 'file welcome'

/** Uses an address that the built-in identity provider lacks, because its accounts could not log in otherwise. */
const demoUser = { email: 'linus@example.com', password: 'Correct4Horse', data: { username: 'linus' } }

function steps(): SeedStep[] {
  return [
    { step: 'file', name: 'welcome', part: filePart, path: 'demo' },
    { step: 'user', name: 'linus', ...demoUser },
    {
      step: 'collection',
      name: 'authors',
      key: 'name',
      schema: { name: { type: 'string', required: true }, role: { type: 'string' } },
    },
    documents(authorNames, (name, at) => ({ name, role: at === 0 ? 'admin' : 'writer' })),
    {
      step: 'collection',
      name: 'posts',
      key: 'title',
      schema: {
        title: { type: 'string', required: true },
        status: { type: 'string', default: 'draft' },
        views: { type: 'integer', default: 0 },
        tags: { type: 'array' },
      },
    },
    documents(titles, (title, at) => ({
      title,
      status: at % 4 === 3 ? 'draft' : 'published',
      views: (at * 137) % 900,
      tags: tags.filter((_, tag) => (at + tag) % 3 === 0),
      author: referTo('authors', authorNames, at),
    })),
    { step: 'collection', name: 'comments', key: 'text' },
    documents(remarks, (text, at) => ({
      text,
      post: referTo('posts', titles, at * 5),
      author: referTo('authors', authorNames, at + 1),
    })),
  ]
}

/** Names each document by its unique value, so that others can refer to it. */
function documents(names: readonly string[], makeData: (name: string, at: number) => JsonObject): SeedDocuments {
  return {
    step: 'documents',
    documents: names.map((name, at) => ({ name, data: makeData(name, at), hasReferences: true, isReferred: true })),
  }
}

function referTo(collection: string, names: readonly string[], at: number): string {
  return `\${${collection}.${names[at % names.length]}.id}`
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
