# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exports models of PyTorch as rows of torch.fx and weights: what the command export_fx.py runs.

| module or folder | what it does |
|---|---|
| exporter | exports a model: calls all others |
| files | writes the files |
| weights | finds the tensors that rows read; reads trained models |
| rows | writes nodes of a graph as rows |
| value_check | compares what the graph gives with what the model gives |
| rewrites | writes a graph with the ops that ctq has |
| decompositions | calls that ctq has no op for, written with those that it has |
| tracing | traces a model: gives its graph |
| graphs | questions about nodes and graphs, and what they compute |
| inputs | names, shapes, types and examples of the inputs of a model |
| custom_config | names of modules that prepare_fx treats apart |
| errors | the error that all raise |
"""
