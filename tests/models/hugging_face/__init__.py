"""Tests of files of Hugging Face's Llamas."""
