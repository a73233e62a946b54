import { z } from 'zod'
import { requireFolder } from '../../core/files/file-names.js'
import { getUsage, listFiles, removeFile, uploadFile } from '../../core/files/files.js'
import { strictBody } from '../request/body-forms.js'
import { directForm, uploadForm } from '../request/file-forms.js'
import { folderQuery, namedQuery } from '../request/read-list.js'
import { route } from '../route.js'
import { createDocumentRoute } from './documents.js'

/** Spec, "Endpoints / Storage". */
export const storageRoutes = [
  route({
    id: 'storage.upload',
    summary: 'Store a file that belongs to no document or user and stays until it is deleted.',
    method: 'post',
    paths: { any: ['/storage/upload'] },
    needs: 'caller',
    body: strictBody(z.strictObject({ path: z.string().optional() })),
    form: uploadForm,
    isCreating: true,
    status: 201,
    reply: 'file',
    handle: (ctx, { body: { path = '' }, uploads }) => uploadFile(ctx, uploads, path),
  }),
  route({
    id: 'storage.uploadDirect',
    summary: 'Store a file that belongs to no document or user, and get its address.',
    method: 'post',
    paths: { any: ['/collections/file'] },
    sharesPaths: true,
    needs: 'caller',
    query: namedQuery({ directory: 'The folder for the file.' }),
    body: strictBody(z.strictObject({})),
    form: directForm,
    isCreating: true,
    reply: 'fileAddress',
    handle: (ctx, { query: { directory = '' }, uploads }) => uploadFile(ctx, uploads, requireFolder(directory)),
    // Older projects may have a collection of this name. Contract 13.10.
    gives: { way: 'file', to: createDocumentRoute },
  }),
  route({
    id: 'storage.list',
    summary: 'List the files in a folder and below it, newest first.',
    method: 'get',
    paths: { any: ['/storage/list'] },
    needs: 'caller',
    query: folderQuery,
    reply: 'files',
    handle: (ctx, { query }) => listFiles(ctx, query),
  }),
  route({
    id: 'storage.remove',
    summary: 'Delete a file that belongs to no document and no user.',
    method: 'delete',
    paths: { any: ['/storage/file/:id'] },
    needs: 'caller',
    reply: 'removedFile',
    handle: (ctx, { params }) => removeFile(ctx, params.id),
  }),
  route({
    id: 'storage.info',
    summary: 'Get the storage used by the files of the project.',
    method: 'get',
    paths: { any: ['/storage/info'] },
    needs: 'caller',
    reply: 'storageUsage',
    handle: (ctx) => getUsage(ctx),
  }),
]
