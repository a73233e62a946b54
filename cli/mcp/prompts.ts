/** Prompts that people pick in their editor. Arguments go in as JSON, because they may come from a web page or a log. */
interface Prompt {
  readonly title: string
  readonly description: string
  readonly argument: { readonly name: string; readonly description: string; readonly required: boolean }
  readonly text: string
}

const prompts: { readonly [name: string]: Prompt } = {
  find_out_why: {
    title: 'Find out why',
    description: 'Find out why a request failed, and fix it.',
    argument: { name: 'request', description: 'Id of the request, or what you saw.', required: false },
    text: `Find out why a request of my app failed.
1. Call why_refused, with the id if I gave one. Without recorded requests, ask me to repeat what failed.
2. Read the request with the tool requests, and the collection with the tool collections.
3. Explain the cause in two sentences. Say whether the app, the schema or the permissions are wrong.
4. Propose the smallest fix. Change nothing before I agree.
5. After the fix, let the request run again and check that it succeeds.`,
  },
  write_a_test: {
    title: 'Write a test',
    description: 'Write a test against the emulator.',
    argument: { name: 'behaviour', description: 'What to test.', required: true },
    text: `Write a test for my app against the emulator.
1. Read the guide svc://guides/testing, and a test that exists in this project.
2. Read the schema and permissions with the tool collections.
3. Write one test with testProject() of svc-toolkit/testing, which gives it a separate project.
4. Run it. Then break the code to see the test fail, and mend the code again.`,
  },
  model_my_data: {
    title: 'Model my data',
    description: 'Design collections, schemas and permissions.',
    argument: { name: 'app', description: 'What the app does.', required: true },
    text: `Design the collections of my app.
1. Read the guide svc://guides/model-your-data and call collections.
2. Propose collections with fields, types, links and unique fields. Give each the narrowest permissions that work.
3. Once I agree, create them with write_collection, or with svc collections create if you may not write.
4. Add a document to each, check the permissions as a user, and generate types with svc types generate.`,
  },
}

export function listPrompts() {
  return Object.entries(prompts).map(([name, { title, description, argument }]) => ({
    ...{ name, title, description },
    arguments: [argument],
  }))
}

/** Returns the text of a prompt. Undefined if there is none of that name. */
export function promptText(name: string, given: Readonly<Record<string, string>>): string | undefined {
  const prompt = Object.hasOwn(prompts, name) ? prompts[name] : undefined
  if (!prompt) return undefined
  const value = given[prompt.argument.name]
  return value === undefined
    ? prompt.text
    : `${prompt.text}\n\n${prompt.argument.name} (data): ${JSON.stringify(value)}`
}
