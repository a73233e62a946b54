/** The JSON Schemas by which editors complete svc.json, seeds and schemas. `vitest -u` writes them from the code. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { configKinds } from '../../cli/config/read-config.js'
import { contract } from '../../client/protocol/control/contract.js'
import {
  fieldFormats,
  fieldRuleKinds,
  fieldTypes,
  onDeleteActions,
  permissionKinds,
} from '../../client/protocol/model/collection.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const draft = 'https://json-schema.org/draft/2020-12/schema'
const text = { type: 'string' }
const flag = { type: 'boolean' }
const texts = { type: 'array', items: text }
const strict = (properties: object, more: object = {}) => ({
  ...{ type: 'object', properties, additionalProperties: false },
  ...more,
})

const rule = {
  type: 'object',
  required: ['type'],
  properties: {
    type: { enum: fieldTypes },
    description: text,
    required: { ...flag, description: 'Whether every document must have the field.' },
    unique: { ...flag, description: 'Whether no two documents may have the same value.' },
    default: { description: 'Value of new documents without the field.' },
    enum: { type: 'array', description: 'The allowed values.' },
    ...Object.fromEntries(['min', 'max'].map((name) => [name, { type: 'number' }])),
    ...Object.fromEntries(['minLength', 'maxLength'].map((name) => [name, { type: 'integer', minimum: 0 }])),
    pattern: { ...text, description: 'Regular expression that the whole text must match.' },
    format: { enum: fieldFormats },
    fields: { $ref: '#/$defs/schema' },
    items: { $ref: '#/$defs/rule' },
    to: { ...text, description: 'Collection that the link leads to, or users.' },
    many: { ...flag, description: 'Whether the link holds several ids.' },
    onDelete: { enum: onDeleteActions, description: 'What happens if the linked document is deleted.' },
  },
  additionalProperties: false,
}
const definitions = { rule, schema: { type: 'object', additionalProperties: { $ref: '#/$defs/rule' } } }

const permissions = strict({
  ...Object.fromEntries(permissionKinds.map((kind) => [kind, texts])),
  ...Object.fromEntries(fieldRuleKinds.map((kind) => [kind, { type: 'object', additionalProperties: texts }])),
})
const named = (one: object) => ({ type: 'object', additionalProperties: one })

function configSchema() {
  const properties = (part: keyof typeof configKinds) =>
    Object.fromEntries(Object.entries(configKinds[part]).map(([name, [, , schema]]) => [name, schema]))
  const { properties: request } = z.toJSONSchema(contract.projects.update.request, {
    io: 'input',
    unrepresentable: 'any',
  })
  return strict({
    $schema: text,
    ...properties('sections'),
    dev: strict(properties('dev')),
    settings: request?.settings,
  })
}

const schemas: { readonly [name: string]: object } = {
  svc: { $schema: draft, title: 'svc.json', ...configSchema() },
  seed: {
    ...{ $schema: draft, title: 'Seed of svc', $defs: definitions },
    ...strict({
      $schema: text,
      collections: named(
        strict({
          schema: { $ref: '#/$defs/schema' },
          unique: { type: 'array', items: texts },
          title: text,
          permissions,
          key: { ...text, description: 'Field that identifies a document in upserts.' },
          documents: { type: ['array', 'object'], items: { type: 'object' }, additionalProperties: { type: 'object' } },
        }),
      ),
      users: named(
        strict(
          {
            ...{ email: text, password: text, passwordHash: text, data: { type: 'object' }, roles: texts },
            ...{ verified: flag, twoFactor: { type: ['string', 'boolean'] } },
            identity: strict({ provider: text, subject: text }, { required: ['provider', 'subject'] }),
          },
          { required: ['email'] },
        ),
      ),
      files: named({
        ...{ type: ['string', 'object'], required: ['file'], additionalProperties: false },
        properties: { file: text, name: text, path: text, owned: flag },
      }),
    }),
  },
  collection: {
    ...{ $schema: draft, title: 'Schema of a collection of svc', $defs: definitions },
    ...{ type: 'object', properties: { $schema: text }, additionalProperties: { $ref: '#/$defs/rule' } },
  },
}

const place = (name: string) => join(root, 'templates/schemas', `${name}.json`)
const readJson = async (path: string) => JSON.parse(await readFile(path, 'utf8'))
const validate = async (name: string) =>
  new Ajv2020({ strict: false, validateFormats: false }).compile(await readJson(place(name)))

it.each(Object.keys(schemas))('%s.json is what the code accepts; vitest -u writes it', async (name) => {
  await expect(`${JSON.stringify(schemas[name], null, 2)}\n`).toMatchFileSnapshot(place(name))
})

it('they accept the files of the templates, and refuse names that svc refuses', async () => {
  const [svc, seed, collection] = await Promise.all(['svc', 'seed', 'collection'].map(validate))

  for (const template of ['react', 'kanban', 'next', 'svelte', 'vue', 'chat']) {
    expect(svc?.(await readJson(join(root, 'templates', template, 'svc.json'))), template).toBe(true)
    expect(seed?.(await readJson(join(root, 'templates', template, 'seed.json'))), JSON.stringify(seed?.errors)).toBe(
      true,
    )
  }
  expect(svc?.({ dev: { port: 4400, seed: ['a.json'] }, settings: { require2fa: true } })).toBe(true)
  expect(svc?.({ dialekt: 'a' })).toBe(false)
  expect(svc?.({ dev: { port: 'x' } })).toBe(false)
  expect(seed?.({ collections: { posts: { document: [] } } })).toBe(false)
  expect(collection?.({ $schema: 'x', tags: { type: 'array', items: { type: 'string' } } })).toBe(true)
  expect(collection?.({ title: { type: 'text' } })).toBe(false)
})
